"""One label each for many items, or several for few?"""
