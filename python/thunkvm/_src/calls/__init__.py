"""From outputs to a function that is called: modes, arguments, comparisons of modes."""
