"""One label each for many items, or several for few?

`plan_labels` reads from `question` (what was asked) and `situation` (two models and their labels, as described or, by
`from_pilot`, as a `pilot` shows them) over `strategies` (ways to label an item) to `designs` (what so many items show)
and `needed` (how many an error takes); `break_even`, `absolute` and `cautions` add to the `result`, `curves` to its
charts. Below lie the numbers: `votes` and `spread` (how often several labels are right), `steps` (what an item says),
`walk` (the chances of who is ahead, exact) and `bounds`.
"""
