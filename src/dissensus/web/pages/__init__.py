"""One file per page: what the address says, what is shown.

Several pages use `asking`, `piloting`, `questions_about` and `working`.
"""
