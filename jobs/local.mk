# Job files to begin with.
jobsdir = $(pkgdatadir)/jobs
dist_jobs_DATA = \
	jobs/first.yaml \
	jobs/fashion-cnn.yaml \
	jobs/gpt2-bytes.yaml
