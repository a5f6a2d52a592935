noinst_LIBRARIES += %D%/libmodel.a
%C%_libmodel_a_SOURCES =
