# Tests of 'make check-long' only: kills, corruptions, whole matrices.
LONG_TESTS = %D%/shard-memory.t
EXTRA_DIST += $(LONG_TESTS)
