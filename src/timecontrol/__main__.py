"""``python -m timecontrol``."""

from timecontrol.cli import main

if __name__ == "__main__":
    main()
