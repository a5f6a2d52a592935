# Tests of src/ckpt.
