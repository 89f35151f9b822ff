"""The demo: fits of NIST StRD data sets by a Levenberg-Marquardt loop of one compiled step.

Run it with ``python -m thunkvm.demo``; ``--help`` lists what can be chosen.
"""
