"""The command line: parse, call, show; one file per command.

`main` is the entry point and `app` lists the commands. Commands share `inputs` and `large_inputs` (what they read),
`output` and `pace` (what they show, and when), and `bundles` (options declared once).
"""
