# Tests of src/config.
