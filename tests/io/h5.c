/* SPDX-License-Identifier: BSD-3-Clause */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../lib/tap.h"
#include "io/h5.h"
#include "io/path.h"

static struct tt_error err;
static char dir[] = "/tmp/tt-h5-XXXXXX";
static const char *shared;

/* Our create + pwrite against HDF5's own read. */
static void test_create(void)
{
    int64_t dim[2] = {3, 2}, offset = 0;
    int32_t put[6] = {1, -2, 3, -4, 5, 2147483647}, got[6] = {0};
    hid_t file = tt_h5_create("own.h5", &err), set;
    int fd;

    tap_ok(file >= 0, "create");
    tap_ok(tt_h5_create_dataset(file, "own.h5", "/g/x", TT_I32, 2, dim, &offset,
                                &err) == 0 &&
               offset > 0,
           "create a dataset, in a group that is not there yet");
    tap_ok(tt_h5_close(file, "own.h5", &err) == 0, "close");
    fd = open("own.h5", O_RDWR);
    tt_path_pwrite(fd, put, sizeof(put), offset, "own.h5", &err);
    close(fd);
    file = H5Fopen("own.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
    set = H5Dopen2(file, "/g/x", H5P_DEFAULT);
    H5Dread(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, got);
    tap_ok(memcmp(put, got, sizeof(put)) == 0,
           "HDF5 reads what was written at the offset");
    H5Dclose(set);
    H5Fclose(file);
    tap_ok(tt_h5_create("own.h5", &err) < 0 && strstr(err.text, "exists"),
           "create over a file fails: %s", err.text);
}

static void test_own_info(void)
{
    hid_t file = tt_h5_open("own.h5", &err);
    struct tt_h5_info info;
    float got[4] = {0};

    tap_ok(tt_h5_info(file, "own.h5", "/g/x", &info, &err) == 0 &&
               info.dims == 2 && info.dim[0] == 3 && info.dim[1] == 2 &&
               info.dtype == TT_I32 && info.plain && info.scale == 1,
           "info of a plain dataset");
    tap_ok(tt_h5_read_rows(file, "own.h5", "/g/x", 1, 2, TT_F32, got, &err) ==
                   0 &&
               got[0] == 3 && got[1] == -4 && got[2] == 5,
           "rows as f32");
    tap_ok(tt_h5_read_rows(file, "own.h5", "/g/x", 2, 2, TT_F32, got, &err) ==
               -1,
           "rows past the end fail: %s", err.text);
    tap_ok(tt_h5_info(file, "own.h5", "/g/y", &info, &err) == -1 &&
               strcmp(err.text, "own.h5: no dataset /g/y (/g holds: x)") == 0,
           "an absent dataset: the message lists what is there");
    H5Fclose(file);
}

/* A chunked, deflated, big-endian dataset with netCDF's scale and offset. */
static void test_foreign_layout(void)
{
    hsize_t dim[1] = {10}, chunk[1] = {4}, one = 1;
    short data[10] = {0, 1, 2, 3, 4, 5, 6, 7, 8, -9};
    double scale = 0.5, shift = -1;
    hid_t file = H5Fcreate("be.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t space = H5Screate_simple(1, dim, NULL), point, at, set;
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    struct tt_h5_info info;
    int32_t got[2] = {0};

    H5Pset_chunk(dcpl, 1, chunk);
    H5Pset_deflate(dcpl, 1);
    set = H5Dcreate2(file, "x", H5T_STD_I16BE, space, H5P_DEFAULT, dcpl,
                     H5P_DEFAULT);
    H5Dwrite(set, H5T_NATIVE_SHORT, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
    point = H5Screate_simple(1, &one, NULL);
    at = H5Acreate2(set, "scale_factor", H5T_IEEE_F64BE, point, H5P_DEFAULT,
                    H5P_DEFAULT);
    H5Awrite(at, H5T_NATIVE_DOUBLE, &scale);
    H5Aclose(at);
    at = H5Acreate2(set, "add_offset", H5T_IEEE_F64LE, point, H5P_DEFAULT,
                    H5P_DEFAULT);
    H5Awrite(at, H5T_NATIVE_DOUBLE, &shift);
    H5Aclose(at), H5Sclose(point), H5Dclose(set), H5Pclose(dcpl);
    H5Sclose(space), H5Fclose(file);

    file = tt_h5_open("be.h5", &err);
    tap_ok(tt_h5_info(file, "be.h5", "x", &info, &err) == 0 && !info.plain &&
               info.dtype == TT_I16 && info.chunk[0] == 4 &&
               info.filters == 1 && info.scale == 0.5 && info.shift == -1,
           "info: big-endian, chunked, deflated, scaled");
    tap_ok(tt_h5_read_rows(file, "be.h5", "x", 8, 2, TT_I32, got, &err) == 0 &&
               got[0] == 8 && got[1] == -9,
           "rows across chunks in native order");
    H5Fclose(file);
}

/* Two values through the library's conversion of our 2-byte floats. */
static void test_half(void)
{
    float value[3] = {1.5f, -0.25f, 65504.0f}, bf[2] = {1.0f, -3.0f};
    unsigned short *bits = (unsigned short *)value;

    H5Tconvert(H5T_NATIVE_FLOAT, tt_h5_type(TT_F16), 3, value, NULL,
               H5P_DEFAULT);
    tap_ok(bits[0] == 0x3e00 && bits[1] == 0xb400 && bits[2] == 0x7bff,
           "f16 as IEEE 754 has it");
    bits = (unsigned short *)bf;
    H5Tconvert(H5T_NATIVE_FLOAT, tt_h5_type(TT_BF16), 2, bf, NULL, H5P_DEFAULT);
    tap_ok(bits[0] == 0x3f80 && bits[1] == 0xc040, "bf16");
}

static void expect_refusal(const char *path, const char *dataset,
                           const char *want)
{
    hid_t file = tt_h5_open(path, &err);
    struct tt_h5_info info;

    if (file >= 0 && dataset &&
        tt_h5_info(file, path, dataset, &info, &err) < 0)
        H5Fclose(file), file = -1;
    tap_ok(file < 0 && strstr(err.text, want), "refused: %s",
           file < 0 ? err.text : path);
    if (file >= 0)
        H5Fclose(file);
}

/* A writer at work holds HDF5's lock; a reader must neither pass nor wait. */
static void test_being_written(void)
{
    int fd = open("own.h5", O_RDWR);
    hid_t file;

    flock(fd, LOCK_EX);
    expect_refusal("own.h5", NULL, "is open for writing");
    close(fd);
    fd = open("own.h5", O_RDWR);
    file = tt_h5_open("own.h5", &err);
    tap_ok(file >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0,
           "an open reader holds no lock");
    H5Fclose(file);
    close(fd);
}

static void test_broken(void)
{
    struct stat st;

    stat("be.h5", &st);
    (void)!truncate("be.h5", st.st_size - 100);
    expect_refusal("be.h5", NULL, "truncated");
    tt_path_write("no.h5", "a,b,c\n", 6, &err);
    expect_refusal("no.h5", NULL, "not an HDF5 file");
    expect_refusal("absent.h5", NULL, "No such file");
    expect_refusal(dir, NULL, "is a directory");
}

/* The source of a virtual dataset is gone: HDF5 would read zeros. */
static void test_virtual(void)
{
    hsize_t dim[2] = {3, 2};
    hid_t file = H5Fcreate("vds.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t space = H5Screate_simple(2, dim, NULL), set;
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    struct tt_h5_info info;

    H5Pset_virtual(dcpl, space, "own.h5", "/g/x", space);
    set = H5Dcreate2(file, "x", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl,
                     H5P_DEFAULT);
    H5Dclose(set), H5Pclose(dcpl), H5Sclose(space), H5Fclose(file);
    file = tt_h5_open("vds.h5", &err);
    tap_ok(tt_h5_info(file, "vds.h5", "x", &info, &err) == 0 && !info.plain,
           "a virtual dataset whose source is there");
    H5Fclose(file);
    rename("own.h5", "gone.h5");
    expect_refusal("vds.h5", "x", "own.h5:/g/x is missing");
    rename("gone.h5", "own.h5");
}

static const char *shared_path(const char *name)
{
    static char path[512];

    snprintf(path, sizeof(path), "%s/%s", shared, name);
    return path;
}

static void test_shared(void)
{
    if (!shared || access(shared, R_OK) < 0) {
        tap_ok(1, "files by others # SKIP no TUTTI_TEST_DATA");
        return;
    }
    expect_refusal(shared_path("hdf5_broken/jhdf_not_closed.hdf5"), NULL, "");
    expect_refusal(shared_path("hdf5_broken/h5src_tfamily00000.h5"), NULL, "");
    expect_refusal(shared_path("hdf5_broken/h5src_h5clear_status_noclose.h5"),
                   NULL, "open for writing");
    expect_refusal(shared_path("hdf5/h5py_compound-dtype-complex.h5"), "/c16",
                   "a compound");
    expect_refusal(shared_path("hdf5/jhdf_test_vlen_datasets_latest.hdf5"),
                   "/vlen_int32_data", "ragged");
    expect_refusal(shared_path("hdf5/jhdf_test_string_datasets_latest.hdf5"),
                   "/fixed_length_ascii", "text");
    expect_refusal(shared_path("hdf5/hdf5plugin_sz3.h5"),
                   "/testdouble_8_8_128_absolute_sz3", "filter");
}

int main(void)
{
    char *tmp = mkdtemp(dir);

    shared = getenv("TUTTI_TEST_DATA");
    if (!tmp || chdir(tmp) < 0)
        return 1;
    test_create();
    test_own_info();
    test_foreign_layout();
    test_half();
    test_being_written();
    test_virtual();
    test_broken();
    test_shared();
    tt_path_remove(dir, &err);
    return tap_done();
}
