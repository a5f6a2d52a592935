check_PROGRAMS += %D%/agree.mpi
%C%_agree_mpi_SOURCES = %D%/agree.c
%C%_agree_mpi_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CFLAGS) -I$(top_srcdir)/tests
%C%_agree_mpi_LDADD = tests/lib/libtap.a $(TT_FLOOR_3_MPI) $(MPI_LIBS)

check_PROGRAMS += %D%/start.mpi
%C%_start_mpi_SOURCES = %D%/start.c
%C%_start_mpi_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CFLAGS) -I$(top_srcdir)/tests
%C%_start_mpi_LDADD = tests/lib/libtap.a $(TT_FLOOR_3_MPI) $(MPI_LIBS)

check_PROGRAMS += %D%/treesum.mpi
%C%_treesum_mpi_SOURCES = %D%/treesum.c
%C%_treesum_mpi_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CFLAGS) -I$(top_srcdir)/tests
%C%_treesum_mpi_LDADD = tests/lib/libtap.a $(TT_FLOOR_3_MPI) $(MPI_LIBS)

check_PROGRAMS += %D%/watch.t
%C%_watch_t_SOURCES = %D%/watch.c
%C%_watch_t_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CFLAGS) -I$(top_srcdir)/tests
%C%_watch_t_LDADD = tests/lib/libtap.a $(TT_FLOOR_3_MPI) $(MPI_LIBS)

check_PROGRAMS += %D%/verdict.mpi
%C%_verdict_mpi_SOURCES = %D%/verdict.c
%C%_verdict_mpi_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CFLAGS) -I$(top_srcdir)/tests
%C%_verdict_mpi_LDADD = tests/lib/libtap.a $(TT_FLOOR_3_MPI) $(MPI_LIBS)
