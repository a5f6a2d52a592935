# Tests of src/optim.
