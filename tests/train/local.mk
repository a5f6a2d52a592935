# Tests of src/train.
