# Tests of src/data.
SHARD_TESTS = tests/t0500-shard-idx.t tests/t0501-shard-csv.t \
	tests/t0502-shard-arrays.t tests/t0503-shard-describe.t \
	tests/t0504-shard-again.t
TESTS += $(SHARD_TESTS)
EXTRA_DIST += $(SHARD_TESTS) tests/lib/shard.sh
check_PROGRAMS += %D%/shard.t %D%/synthetic.t %D%/loader.mpi \
	%D%/hdf5_files.mpi %D%/foreign.mpi \
	%D%/collective.mpi %D%/collective_romio.mpi %D%/set.mpi %D%/column.t
%C%_shard_t_SOURCES = %D%/shard.c
%C%_shard_t_CPPFLAGS = $(AM_CPPFLAGS) $(HDF5_CFLAGS) $(MPI_CFLAGS)
%C%_shard_t_LDADD = tests/lib/libtap.a $(TT_FLOOR_5) $(MPI_LIBS)

check_LIBRARIES += %D%/libmake.a
%C%_libmake_a_SOURCES = %D%/make.c %D%/make.h \
	%D%/play.c %D%/play.h
%C%_libmake_a_CPPFLAGS = $(AM_CPPFLAGS) $(HDF5_CFLAGS) $(MPI_CFLAGS)

%C%_synthetic_t_SOURCES = %D%/synthetic.c
%C%_synthetic_t_CPPFLAGS = $(AM_CPPFLAGS) $(HDF5_CFLAGS) $(MPI_CFLAGS)
%C%_synthetic_t_LDADD = tests/lib/libtap.a %D%/libmake.a $(TT_FLOOR_5) \
	$(MPI_LIBS)
%C%_loader_mpi_SOURCES = %D%/loader.c
%C%_loader_mpi_CPPFLAGS = $(AM_CPPFLAGS) $(HDF5_CFLAGS) $(MPI_CFLAGS)
%C%_loader_mpi_LDADD = tests/lib/libtap.a %D%/libmake.a $(TT_FLOOR_5) \
	$(MPI_LIBS)
%C%_hdf5_files_mpi_SOURCES = %D%/hdf5_files.c
%C%_hdf5_files_mpi_CPPFLAGS = $(AM_CPPFLAGS) $(HDF5_CFLAGS) $(MPI_CFLAGS)
%C%_hdf5_files_mpi_LDADD = tests/lib/libtap.a %D%/libmake.a $(TT_FLOOR_5) \
	$(MPI_LIBS)
EXTRA_DIST += %D%/hdf5.tsv %D%/hdf5_expect.py
%C%_foreign_mpi_SOURCES = %D%/foreign.c
%C%_foreign_mpi_CPPFLAGS = $(AM_CPPFLAGS) $(HDF5_CFLAGS) $(MPI_CFLAGS)
%C%_foreign_mpi_LDADD = tests/lib/libtap.a %D%/libmake.a $(TT_FLOOR_5) \
	$(MPI_LIBS)
%C%_collective_mpi_SOURCES = %D%/collective.c
%C%_collective_mpi_CPPFLAGS = $(AM_CPPFLAGS) $(HDF5_CFLAGS) $(MPI_CFLAGS)
%C%_collective_mpi_LDADD = tests/lib/libtap.a %D%/libmake.a $(TT_FLOOR_5) \
	$(MPI_LIBS)
%C%_collective_romio_mpi_SOURCES = %D%/collective_romio.c
%C%_collective_romio_mpi_CPPFLAGS = $(AM_CPPFLAGS) $(HDF5_CFLAGS) $(MPI_CFLAGS)
%C%_collective_romio_mpi_LDADD = tests/lib/libtap.a %D%/libmake.a $(TT_FLOOR_5) \
	$(MPI_LIBS)
%C%_set_mpi_SOURCES = %D%/set.c
%C%_set_mpi_CPPFLAGS = $(AM_CPPFLAGS) $(HDF5_CFLAGS) $(MPI_CFLAGS)
%C%_set_mpi_LDADD = tests/lib/libtap.a %D%/libmake.a $(TT_FLOOR_5) \
	$(MPI_LIBS)

# Packing.
check_PROGRAMS += %D%/cells.t %D%/stream.t %D%/stats.mpi
%C%_cells_t_SOURCES = %D%/cells.c
%C%_cells_t_LDADD = tests/lib/libtap.a $(TT_FLOOR_5) $(MPI_LIBS)
%C%_stream_t_SOURCES = %D%/stream.c
%C%_stream_t_LDADD = tests/lib/libtap.a $(TT_FLOOR_5) $(MPI_LIBS)
%C%_stats_mpi_SOURCES = %D%/stats.c
%C%_stats_mpi_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CFLAGS) -I$(top_srcdir)/tests
%C%_stats_mpi_LDADD = tests/lib/libtap.a $(TT_FLOOR_5) $(MPI_LIBS)
%C%_column_t_SOURCES = %D%/column.c
%C%_column_t_CPPFLAGS = $(AM_CPPFLAGS) $(HDF5_CFLAGS) $(MPI_CFLAGS)
%C%_column_t_LDADD = tests/lib/libtap.a %D%/libmake.a $(TT_FLOOR_5) \
	$(MPI_LIBS)
