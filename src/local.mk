# One archive per room, listed from the ground up.
include src/base/local.mk
include src/layout/local.mk
include src/device/local.mk
include src/job/local.mk
include src/model/local.mk
include src/optim/local.mk
include src/config/local.mk
include src/comm/local.mk
include src/plan/local.mk
include src/text/local.mk
include src/io/local.mk
include src/exec/local.mk
include src/data/local.mk
include src/ckpt/local.mk
include src/train/local.mk
include src/cmd/local.mk

# What a program or a test links, from the roof down: everything on a floor
# and below it, with the libraries they need.  TT_FLOOR_n holds floors n to 1.
TT_FLOOR_1 = src/base/libbase.a $(TT_BASE_LIBS)
TT_FLOOR_2 = src/device/libdevice.a src/job/libjob.a src/layout/liblayout.a \
	$(TT_DEVICE_LIBS) $(TT_FLOOR_1)
TT_FLOOR_3 = src/model/libmodel.a src/optim/liboptim.a src/config/libconfig.a \
	$(TT_FLOOR_2)
TT_PLAN = src/plan/libplan.a $(TT_FLOOR_3)
TT_FLOOR_3_MPI = src/comm/libcomm.a $(TT_FLOOR_3) $(MPI_LIBS)
TT_FLOOR_4 = src/exec/libexec.a src/io/libio.a src/text/libtext.a \
	src/plan/libplan.a $(TT_IO_LIBS) $(TT_FLOOR_3_MPI)
TT_FLOOR_5 = src/data/libdata.a src/ckpt/libckpt.a $(TT_DATA_LIBS) $(TT_FLOOR_4)
TT_FLOOR_6 = src/train/libtrain.a $(TT_FLOOR_5)
