# Tests of src/text.
