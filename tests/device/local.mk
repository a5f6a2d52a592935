# Tests of src/device.
