"""The source formats: each knows its layout and hands over plain columns.

`plan` says what a format is, what it is given and hands over, and finds those in the `FORMATS` of every module here;
several collect what they read with `answers`.
"""
