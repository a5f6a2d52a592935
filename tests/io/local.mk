# Tests of src/io.
