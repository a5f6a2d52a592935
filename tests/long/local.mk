# Tests of 'make check-long' only: kills, corruptions, whole matrices.
LONG_TESTS =
EXTRA_DIST += $(LONG_TESTS)
