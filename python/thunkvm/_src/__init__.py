"""The parts of the package, in rooms. Users import from `thunkvm`; these names may change."""
