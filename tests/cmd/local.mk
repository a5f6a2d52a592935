# Tests of src/cmd.
