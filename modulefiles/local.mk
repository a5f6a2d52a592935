# A module file a version, made when installing's folders are known.
modulefilesdir = $(datadir)/modulefiles/$(PACKAGE)
EXTRA_DIST += modulefiles/tutti.in
CLEANFILES += modulefiles/$(VERSION)

modulefiles/$(VERSION): modulefiles/tutti.in Makefile
	@$(MKDIR_P) modulefiles
	$(AM_V_GEN)$(SED) -e 's|@version[@]|$(VERSION)|g' \
	    -e 's|@prefix[@]|$(prefix)|g' -e 's|@bindir[@]|$(bindir)|g' \
	    -e 's|@docdir[@]|$(docdir)|g' -e 's|@jobsdir[@]|$(jobsdir)|g' \
	    -e 's|@mandir[@]|$(mandir)|g' \
	    $(srcdir)/modulefiles/tutti.in >$@

modulefiles_DATA = modulefiles/$(VERSION)
