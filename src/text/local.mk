noinst_LIBRARIES += %D%/libtext.a
%C%_libtext_a_SOURCES =
