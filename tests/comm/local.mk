check_PROGRAMS += %D%/agree.mpi
%C%_agree_mpi_SOURCES = %D%/agree.c
%C%_agree_mpi_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CFLAGS) -I$(top_srcdir)/tests
%C%_agree_mpi_LDADD = tests/lib/libtap.a $(TT_FLOOR_3_MPI) $(MPI_LIBS)
