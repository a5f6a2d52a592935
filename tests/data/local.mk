# Tests of src/data.
