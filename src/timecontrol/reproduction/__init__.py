"""Every table and figure of the paper made again: what is asked, what was run, ours by theirs."""
