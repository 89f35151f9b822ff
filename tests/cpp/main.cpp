// main.cpp: the entry point of the C++ tests, one executable for all of them. `thunkvm-tests
// --help` lists doctest's options; `-tc='*arm*'` picks test cases by name.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
