# Tests of 'make check-long' only: minutes of training, gigabytes of data.
LONG_ONLY = %D%/shard-kills.t %D%/shard-memory.t %D%/text.t
LONG_TESTS += $(LONG_ONLY)
EXTRA_DIST += $(LONG_ONLY)
