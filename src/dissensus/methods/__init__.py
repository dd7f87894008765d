"""One room per question, named as its command and its function."""
