"""The sentences that explain a number, each written once: for the terminal, the page, notebooks and the web app."""

# They are for somebody who knows a spreadsheet or pandas, not the papers. They say what a number means, not whether it
# is good; a rule of thumb is named with its author. One file per subject; a new command brings its own.
