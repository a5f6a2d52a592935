# Tests of src/plan.
