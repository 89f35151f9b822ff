"""The demo: fits of NIST StRD data sets by one compiled Levenberg-Marquardt loop.

Run it with ``python -m thunkvm.demo``; ``--help`` lists what can be chosen.
"""
