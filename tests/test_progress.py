from timecontrol.progress import silent


def test_silence_takes_any_report() -> None:
    with silent("work", 3, 1, "steps") as advance:
        advance()
        advance(2, loss=0.5)
