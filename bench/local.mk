# Benchmarks, run by 'make bench' in this order: programs, then shell scripts.
# Each prints its rows of the table.
BENCHES =
BENCH_SH =
EXTRA_PROGRAMS += $(BENCHES)
EXTRA_DIST += $(BENCH_SH)

# OPENBLAS_CORETYPE, where set, names an older core and halves sgemm.
bench: all $(BENCHES)
	@unset OPENBLAS_CORETYPE; $(AM_TESTS_ENVIRONMENT) \
	for b in $(BENCHES:%=./%) $(BENCH_SH:%=$(abs_srcdir)/%); do \
	    $$b || exit 1; \
	done
.PHONY: bench

# Whole programs.
BENCH_SH += %D%/whole.sh

# PyTorch on the same work; said and left out where there is none.
BENCH_SH += %D%/peer.sh
EXTRA_DIST += \
	%D%/peer_gpt2_model.py \
	%D%/peer_start.py \
	%D%/peer-gpt2.py \
	%D%/peer-mlp.py \
	%D%/peer-shakespeare.py

# The kernels of src/device, one by one.
BENCHES += %D%/kernels
%C%_kernels_SOURCES = %D%/kernels.c
%C%_kernels_LDADD = src/device/libdevice.a $(TT_DEVICE_LIBS) $(TT_FLOOR_1)

# Reading shuffled windows of shards, beside bare pread.
BENCHES += %D%/reading
%C%_reading_SOURCES = %D%/reading.c
%C%_reading_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir) $(HDF5_CFLAGS) \
	$(MPI_CFLAGS)
%C%_reading_LDADD = tests/data/libmake.a $(TT_FLOOR_5) $(MPI_LIBS)
