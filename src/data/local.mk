noinst_LIBRARIES += %D%/libdata.a
%C%_libdata_a_CPPFLAGS = $(AM_CPPFLAGS) $(HDF5_CFLAGS) $(MPI_CFLAGS) \
	$(Z_CFLAGS) $(ZSTD_CFLAGS)
%C%_libdata_a_SOURCES = \
	%D%/column.c %D%/column.h \
	%D%/feed.h \
	%D%/feed_collective.c \
	%D%/feed_memory.c \
	%D%/feed_window.c \
	%D%/index.c \
	%D%/keys.c %D%/keys.h \
	%D%/loader.c %D%/loader.h %D%/odd.c \
	%D%/open.h \
	%D%/open_foreign.c \
	%D%/open_packed.c \
	%D%/open_synthetic.c \
	%D%/set.c %D%/set.h \
	%D%/shard.c %D%/shard.h \
	%D%/source.c %D%/source.h \
	%D%/store.c %D%/store.h \
	%D%/synthetic.c %D%/synthetic.h \
	%D%/window.c %D%/window.h
# Packing.
%C%_libdata_a_SOURCES += \
	%D%/array_head.h \
	%D%/array_idx.c \
	%D%/array_npy.c \
	%D%/csv_columns.c \
	%D%/csv_priv.h \
	%D%/describe.c %D%/describe.h \
	%D%/describe_h5.c \
	%D%/describe_sample.c \
	%D%/from_array.c \
	%D%/from_csv.c \
	%D%/from_hdf5.c \
	%D%/from_text.c \
	%D%/intake.c %D%/intake.h \
	%D%/pack.c %D%/pack.h \
	%D%/pack_flags.c \
	%D%/pack_out.c \
	%D%/pack_priv.h \
	%D%/pack_stats.c \
	%D%/pack_table.c \
	%D%/split.c %D%/split.h \
	%D%/stats.c %D%/stats.h \
	%D%/stream.c %D%/stream.h \
	%D%/stream_gz.c \
	%D%/stream_priv.h \
	%D%/table.c %D%/table.h %D%/table_priv.h \
	%D%/table_json.c \
	%D%/values.c %D%/values.h \
	%D%/words.c %D%/words.h \
	%D%/writer.c %D%/writer.h
if HAVE_ZSTD
%C%_libdata_a_SOURCES += %D%/stream_zst.c
else
%C%_libdata_a_SOURCES += %D%/stream_nozst.c
endif
