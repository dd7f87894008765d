"""How many items and raters does it take to tell two judges apart?"""
