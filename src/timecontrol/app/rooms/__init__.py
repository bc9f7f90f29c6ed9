"""The rooms of the studio, one a file: what is asked for, and what is shown."""
