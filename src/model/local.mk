noinst_LIBRARIES += %D%/libmodel.a
%C%_libmodel_a_SOURCES = \
	%D%/emit.c \
	%D%/family.h %D%/family_cnn.c %D%/family_gpt2.c %D%/family_mlp.c \
	%D%/layer.h %D%/layers.c %D%/layers_image.c %D%/layers_text.c \
	%D%/memory.c %D%/memory.h \
	%D%/param.c %D%/param.h \
	%D%/pass_arena.c %D%/pass_count.c %D%/pass_fuse.c \
	%D%/prog.c %D%/prog.h \
	%D%/program.c %D%/program.h \
	%D%/spec.c %D%/spec.h
