# Tests of src/cmd: whole programs.
TRAIN_TESTS = tests/t0600-bits.t tests/t0601-stop.t tests/t0602-bad-input.t \
	tests/t0603-bad-data.t tests/t0604-read.t \
	tests/t0605-seen.t
TESTS += $(TRAIN_TESTS)
EXTRA_DIST += $(TRAIN_TESTS) tests/lib/train.sh
