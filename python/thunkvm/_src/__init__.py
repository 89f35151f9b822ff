"""What the package is made of, in rooms. Users import from `thunkvm`; these names may change."""
