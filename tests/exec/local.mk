# Tests of src/exec.
