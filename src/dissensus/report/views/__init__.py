"""One file per command: what its result says, as a Section.

Words or charts that are long to tell have files of their own: `worth` and `judge_words`.
"""
