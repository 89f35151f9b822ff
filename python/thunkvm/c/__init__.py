"""Ops and Types that give C: the protocol that Theano's users know.

An Op with a ``c_code`` method gives the C++ of one node as text; the Types of its inputs and
outputs give the text that turns Python objects into C variables and back. What comes of a node:

=============  ==================================================================================
`protocol`     what Ops and Types may give, and how each is asked
`stages`       nested blocks, each with its clean-up and a label that a failure jumps to
`types`        `CType`, and the C of the built-in Types; from it `plain`, and from that `scalars`,
               `enums`, `data`, `params`
`op`           `COp`; from it `external` (with `sections` and `macros`) and `generic_ops`
`node_source`  the texts of one node
`block_source` the text of a module, which runs nodes that share a block
`compiling`    from the nodes of a function to loaded modules
=============  ==================================================================================

Arrows point up this table only.
"""
