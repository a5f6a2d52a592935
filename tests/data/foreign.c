/* SPDX-License-Identifier: BSD-3-Clause */
/* nranks: 1 2 */
/* foreign.c - HDF5 files as other programs write them: every number type, byte
 * order, layout and filter, and what is refused. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <hdf5.h>
#include <mpi.h>

#include "../lib/tap.h"
#include "data/loader.h"
#include "data/set.h"
#include "io/path.h"
#include "make.h"

enum { ROWS = 60, VALUES = 6 };

static int rank;
static char dir[64];

static void ok_all(int pass, const char *name, const char *why)
{
    MPI_Allreduce(MPI_IN_PLACE, &pass, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    tap_ok(pass, "%s%s%s", name, why[0] ? ": " : "", why);
}

/* --- making files ---------------------------------------------------- */

static const char *in_dir(const char *name)
{
    static char path[160];

    snprintf(path, sizeof(path), "%s/%s", dir, name);
    return path;
}

static hid_t new_file(const char *name)
{
    return H5Fcreate(in_dir(name), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
}

static void write_doubles(hid_t file, const char *name, hid_t type, hid_t dcpl,
                          int dims, const hsize_t *dim, const double *value)
{
    hid_t space = H5Screate_simple(dims, dim, NULL);
    hid_t set =
        H5Dcreate2(file, name, type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);

    H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, value);
    H5Dclose(set);
    H5Sclose(space);
}

/* x[s][e] and labels of 'rows' samples from 'first' on, of these types. */
static void write_set(const char *name, hid_t x_type, hid_t y_type, hid_t dcpl,
                      int64_t first, int64_t rows)
{
    double x[ROWS * VALUES], y[ROWS];
    hsize_t dim[3] = {(hsize_t)rows, 2, VALUES / 2};
    hid_t file = new_file(name);

    for (int64_t s = 0; s < rows; s++) {
        for (int64_t e = 0; e < VALUES; e++)
            x[s * VALUES + e] = make_value(first + s, e) % 100;
        y[s] = (double)((first + s) % MAKE_CLASSES);
    }
    write_doubles(file, "images", x_type, dcpl, 3, dim, x);
    write_doubles(file, "labels", y_type, H5P_DEFAULT, 1, dim, y);
    H5Fclose(file);
}

static void add_attribute(const char *name, const char *dataset,
                          const char *attribute, double value)
{
    hid_t file = H5Fopen(in_dir(name), H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t set = H5Dopen2(file, dataset, H5P_DEFAULT);
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t at = H5Acreate2(set, attribute, H5T_IEEE_F64BE, space, H5P_DEFAULT,
                          H5P_DEFAULT);

    H5Awrite(at, H5T_NATIVE_DOUBLE, &value);
    H5Aclose(at);
    H5Sclose(space);
    H5Dclose(set);
    H5Fclose(file);
}

/* --- reading them ---------------------------------------------------- */

static struct tt_set *open_map(const char *files, const char *more,
                               int64_t cache_bytes, struct tt_error *err)
{
    struct tt_job_data conf = {.cache_bytes = cache_bytes};
    char text[512];

    snprintf(text, sizeof(text), "{files: '%s/%s', %s}", dir, files, more);
    return tt_set_open_all(make_node(text), 4, &conf, MPI_COMM_WORLD, err);
}

static struct tt_loader *load(struct tt_set *set, struct tt_error *err)
{
    struct tt_order order = {.sample_count = tt_set_info(set)->sample_count,
                             .block_samples = 1,
                             .window_blocks = 1,
                             .lanes = 1,
                             .batch_samples = 1};

    return tt_loader_create(set, &order, 0, 1, 0, 0, err);
}

/* All samples are what write_set() wrote, times scale plus shift. */
static int is_read(struct tt_set *set, int64_t rows, double scale, double shift,
                   struct tt_error *err)
{
    struct tt_loader *loader = set ? load(set, err) : NULL;
    float x[7 * VALUES];
    int32_t y[7];
    int good = loader && tt_set_info(set)->sample_count == rows &&
               tt_set_info(set)->x_dims == 2 &&
               tt_set_info(set)->x_dim[1] == VALUES / 2 &&
               tt_set_info(set)->y_is_class &&
               tt_set_info(set)->classes == MAKE_CLASSES;

    for (int64_t at = 0; at < rows && good; at += 7) {
        int64_t some = rows - at < 7 ? rows - at : 7;

        good = tt_loader_fetch_plain(loader, at, some, x, y, err) == 0;
        for (int64_t i = 0; i < some * VALUES && good; i++) {
            int64_t s = at + i / VALUES;
            double raw = make_value(s, i % VALUES) % 100;

            good = (double)x[i] == (double)(float)(raw * scale + shift) &&
                   y[i / VALUES] == s % MAKE_CLASSES;
        }
    }
    tt_loader_destroy(loader);
    return good;
}

static void expect_read(const char *what, const char *files, const char *more,
                        int64_t rows, double scale, double shift)
{
    static const int64_t caches[] = {1 << 30, 0};
    struct tt_error err = {0};
    int good = 1;

    for (int i = 0; i < 2; i++) {
        struct tt_set *set = open_map(files, more, caches[i], &err);

        good = is_read(set, rows, scale, shift, &err) && good;
        tt_set_close(set);
    }
    ok_all(good, what, err.text);
}

static const char plain[] = "x: /images, y: /labels, scale: 1";

static void test_types(void)
{
    const struct {
        const char *name;
        hid_t type;
    } types[] = {
        {"i8", H5T_STD_I8LE},
        {"u8", H5T_STD_U8LE},
        {"i16 le", H5T_STD_I16LE},
        {"i16 be", H5T_STD_I16BE},
        {"u16 be", H5T_STD_U16BE},
        {"i32 le", H5T_STD_I32LE},
        {"u32 le", H5T_STD_U32LE},
        {"i32 be", H5T_STD_I32BE},
        {"i64 le", H5T_STD_I64LE},
        {"u64 le", H5T_STD_U64LE},
        {"i64 be", H5T_STD_I64BE},
        {"u64 be", H5T_STD_U64BE},
        {"f32 le", H5T_IEEE_F32LE},
        {"f32 be", H5T_IEEE_F32BE},
        {"f64 le", H5T_IEEE_F64LE},
        {"f64 be", H5T_IEEE_F64BE},
        {"long double", H5T_NATIVE_LDOUBLE},
    };
    int count = (int)(sizeof(types) / sizeof(types[0]));

    for (int i = 0; i < count; i++) {
        bool floats = H5Tget_class(types[i].type) == H5T_FLOAT;
        char more[96];

        if (rank == 0)
            write_set("type.h5", types[i].type, types[i].type, H5P_DEFAULT, 0,
                      ROWS);
        MPI_Barrier(MPI_COMM_WORLD);
        snprintf(more, sizeof(more), "%s%s", plain,
                 floats ? ", target: class" : "");
        expect_read(types[i].name, "type.h5", more, ROWS, 1, 0);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

/* Layouts and filters, in the order of this switch. */
static hid_t make_dcpl(int which)
{
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    hsize_t chunk[3] = {7, 2, 2};

    if (which > 1)
        H5Pset_chunk(dcpl, 3, chunk);
    switch (which) {
    case 1:
        H5Pset_layout(dcpl, H5D_COMPACT);
        break;
    case 3:
        H5Pset_shuffle(dcpl);
        H5Pset_deflate(dcpl, 4);
        break;
    case 4:
        H5Pset_fletcher32(dcpl);
        break;
    case 5:
        H5Pset_scaleoffset(dcpl, H5Z_SO_INT, 0);
        break;
    case 6:
        H5Pset_nbit(dcpl);
        break;
    case 7:
        H5Pset_alloc_time(dcpl, H5D_ALLOC_TIME_EARLY);
        break;
    }
    return dcpl;
}

static void test_layouts(void)
{
    static const char *const names[] = {
        "contiguous", "compact",      "chunks", "gzip and shuffle",
        "fletcher32", "scale-offset", "n-bit",  "chunks, allocated early"};

    for (int i = 0; i < 8; i++) {
        hid_t dcpl = make_dcpl(i);

        if (rank == 0)
            write_set("layout.h5", H5T_STD_I32LE, H5T_STD_U8LE, dcpl, 0, ROWS);
        H5Pclose(dcpl);
        MPI_Barrier(MPI_COMM_WORLD);
        expect_read(names[i], "layout.h5", plain, ROWS, 1, 0);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

static void test_scales(void)
{
    if (rank == 0) {
        write_set("pixels.h5", H5T_STD_U8LE, H5T_STD_I64LE, H5P_DEFAULT, 0,
                  ROWS);
        write_set("packed.h5", H5T_STD_I16BE, H5T_STD_I64LE, H5P_DEFAULT, 0,
                  ROWS);
        add_attribute("packed.h5", "images", "scale_factor", 0.01);
        add_attribute("packed.h5", "images", "add_offset", 273.15);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    expect_read("pixels are divided by 255", "pixels.h5",
                "x: /images, y: /labels", ROWS, 1.0 / 255, 0);
    expect_read("unless scale: 1", "pixels.h5",
                "x: /images, y: /labels, scale: 1", ROWS, 1, 0);
    expect_read("scale and shift of the job file", "pixels.h5",
                "x: /images, y: /labels, scale: 0.5, shift: -3", ROWS, 0.5, -3);
    expect_read("scale_factor and add_offset", "packed.h5",
                "x: images, y: labels", ROWS, 0.01, 273.15);
    expect_read("the job file comes first", "packed.h5",
                "x: images, y: labels, scale: 2", ROWS, 2, 0);
}

/* Images of 2 channels of 1 x 3, which are turned into 1 x 3 x 2. */
static void test_channels(void)
{
    const hid_t types[] = {H5T_STD_U8LE, H5T_IEEE_F64LE};
    double x[4 * 6], y[4] = {0};
    struct tt_error err = {0};

    for (int i = 0; i < 24; i++)
        x[i] = i;
    for (int t = 0; t < 2; t++) {
        struct tt_loader *loader;
        struct tt_set *set;
        float out[24];
        int32_t label[4];
        int good;

        if (rank == 0) {
            hid_t file = new_file("turned.h5");

            write_doubles(file, "x", types[t], H5P_DEFAULT, 4,
                          (const hsize_t[]){4, 2, 1, 3}, x);
            write_doubles(file, "y", H5T_STD_I8LE, H5P_DEFAULT, 1,
                          (const hsize_t[]){4}, y);
            H5Fclose(file);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        set = open_map("turned.h5", "x: x, y: y, channels: first, scale: 1",
                       t << 20, &err);
        loader = load(set, &err);
        good = tt_loader_fetch_plain(loader, 0, 4, out, label, &err) == 0 &&
               tt_set_info(set)->x_dim[0] == 1 &&
               tt_set_info(set)->x_dim[1] == 3 &&
               tt_set_info(set)->x_dim[2] == 2;
        for (int i = 0; i < 24 && good; i++)
            good = (double)out[i] == i / 6 * 6 + i % 2 * 3 + i % 6 / 2;
        ok_all(good, "channels come last", err.text);
        tt_loader_destroy(loader);
        tt_set_close(set);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

/* Several files make one set, also with some plain and some not, one of them
 * without rows. */
static void test_files(void)
{
    if (rank == 0) {
        hid_t chunks = make_dcpl(3);

        write_set("part-a.h5", H5T_STD_I32LE, H5T_STD_I8LE, H5P_DEFAULT, 0, 20);
        write_set("part-b.h5", H5T_STD_I32LE, H5T_STD_I8LE, chunks, 20, 13);
        write_set("part-c.h5", H5T_STD_I32LE, H5T_STD_I8LE, H5P_DEFAULT, 33, 1);
        write_set("part-d.h5", H5T_STD_I32LE, H5T_STD_I8LE, chunks, 34, 26);
        H5Pclose(chunks);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    expect_read("a pattern of files", "part-*.h5", plain, ROWS, 1, 0);
}

/* --- what is refused ------------------------------------------------- */

static void expect_refused(const char *what, const char *files,
                           const char *more, const char *why)
{
    struct tt_error err = {0};
    struct tt_set *set;
    struct tt_error first;
    int same;

    MPI_Barrier(MPI_COMM_WORLD);
    set = open_map(files, more, 0, &err);
    first = err;
    MPI_Bcast(&first, (int)sizeof(first), MPI_BYTE, 0, MPI_COMM_WORLD);
    same = memcmp(&first, &err, sizeof(err)) == 0;
    ok_all(!set && strstr(err.text, why) && same, what, err.text);
    tt_set_close(set);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void write_odd(void)
{
    hid_t file = new_file("odd.h5"), type, space, set, vlen, text;
    hsize_t dim[2] = {ROWS, 0};
    static const double value[2 * ROWS];

    space = H5Screate_simple(1, dim, NULL);
    type = H5Tcreate(H5T_COMPOUND, 16);
    H5Tinsert(type, "pixel", 0, H5T_NATIVE_DOUBLE);
    H5Tinsert(type, "label", 8, H5T_NATIVE_INT64);
    set = H5Dcreate2(file, "table", type, space, H5P_DEFAULT, H5P_DEFAULT,
                     H5P_DEFAULT);
    H5Dclose(set);
    H5Tclose(type);
    vlen = H5Tvlen_create(H5T_NATIVE_FLOAT);
    set = H5Dcreate2(file, "ragged", vlen, space, H5P_DEFAULT, H5P_DEFAULT,
                     H5P_DEFAULT);
    H5Dclose(set);
    H5Tclose(vlen);
    text = H5Tcopy(H5T_C_S1);
    H5Tset_size(text, 5);
    set = H5Dcreate2(file, "words", text, space, H5P_DEFAULT, H5P_DEFAULT,
                     H5P_DEFAULT);
    H5Dclose(set);
    H5Tclose(text);
    H5Sclose(space);
    write_doubles(file, "fewer", H5T_NATIVE_INT, H5P_DEFAULT, 1,
                  (const hsize_t[]){ROWS - 1}, value);
    write_doubles(file, "one", H5T_NATIVE_INT, H5P_DEFAULT, 0, NULL, value);
    write_doubles(file, "hot", H5T_NATIVE_INT, H5P_DEFAULT, 2,
                  (const hsize_t[]){ROWS, 2}, value);
    write_doubles(file, "good", H5T_NATIVE_INT, H5P_DEFAULT, 1, dim, value);
    H5Fclose(file);
}

static void test_odd(void)
{
    if (rank == 0)
        write_odd();
    expect_refused("a compound", "odd.h5", "x: /table, y: /good", "compound");
    expect_refused("ragged data", "odd.h5", "x: /ragged, y: /good", "ragged");
    expect_refused("text", "odd.h5", "x: /good, y: /words", "text");
    expect_refused("another number of rows", "odd.h5", "x: /good, y: /fewer",
                   "59");
    expect_refused("a scalar", "odd.h5", "x: /one, y: /good", "first axis");
    expect_refused("no such dataset", "odd.h5", "x: /god, y: /good", "good");
    expect_refused("one-hot classes", "odd.h5",
                   "x: /good, y: /hot, target: class", "target: value");
    expect_refused("no such file", "nowhere-*.h5", "x: /a, y: /b", "nowhere");
    expect_refused("an unknown key", "odd.h5", "x: /a, y: /b, clases: 3",
                   "did you mean 'classes'");
    expect_refused("channels of a table", "odd.h5",
                   "x: /good, y: /good, channels: first", "three axes");
    expect_refused("no y", "odd.h5", "x: /good", "y: /labels");
    expect_refused("a stream of floats", "odd.h5", "tokens: /hot", "one axis");
}

static void test_differing(void)
{
    static const double value[200];

    if (rank == 0) {
        hid_t file;

        write_set("mix-a.h5", H5T_STD_I32LE, H5T_STD_I8LE, H5P_DEFAULT, 0, 20);
        file = new_file("mix-b.h5");
        write_doubles(file, "images", H5T_STD_I32LE, H5P_DEFAULT, 3,
                      (const hsize_t[]){9, 3, 2}, value);
        write_doubles(file, "labels", H5T_STD_I8LE, H5P_DEFAULT, 1,
                      (const hsize_t[]){9}, value);
        H5Fclose(file);
        write_set("kind-a.h5", H5T_STD_I32LE, H5T_STD_I8LE, H5P_DEFAULT, 0, 20);
        write_set("kind-b.h5", H5T_IEEE_F32LE, H5T_STD_I8LE, H5P_DEFAULT, 0,
                  20);
        write_set("scale-a.h5", H5T_STD_I32LE, H5T_STD_I8LE, H5P_DEFAULT, 0,
                  20);
        write_set("scale-b.h5", H5T_STD_I32LE, H5T_STD_I8LE, H5P_DEFAULT, 0,
                  20);
        add_attribute("scale-b.h5", "images", "scale_factor", 0.5);
    }
    expect_refused("shapes that differ", "mix-*.h5", "x: /images, y: /labels",
                   "mix-b.h5: /images: its shape");
    expect_refused("types that differ", "kind-*.h5", "x: /images, y: /labels",
                   "kind-b.h5: /images: its type");
    expect_refused("scales that differ", "scale-*.h5", "x: /images, y: /labels",
                   "scale_factor");
}

/* One virtual dataset over two files, one of them taken away. */
static void write_virtual(void)
{
    hsize_t part[2] = {10, 3}, all[2] = {20, 3}, start[2] = {0, 0};
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    hid_t from = H5Screate_simple(2, part, NULL);
    hid_t to = H5Screate_simple(2, all, NULL), file, set;
    static const double value[60];

    for (int i = 0; i < 2; i++) {
        char name[32];

        snprintf(name, sizeof(name), "src%d.h5", i);
        file = new_file(name);
        write_doubles(file, "x", H5T_NATIVE_INT, H5P_DEFAULT, 2, part, value);
        H5Fclose(file);
        start[0] = (hsize_t)i * 10;
        H5Sselect_hyperslab(to, H5S_SELECT_SET, start, NULL, part, NULL);
        H5Pset_virtual(dcpl, to, name, "x", from);
    }
    file = new_file("virtual.h5");
    H5Sselect_all(to);
    set = H5Dcreate2(file, "x", H5T_NATIVE_INT, to, H5P_DEFAULT, dcpl,
                     H5P_DEFAULT);
    H5Dclose(set);
    write_doubles(file, "y", H5T_NATIVE_INT, H5P_DEFAULT, 1, all, value);
    H5Fclose(file);
    H5Pclose(dcpl);
    H5Sclose(from);
    H5Sclose(to);
}

static void test_virtual(void)
{
    struct tt_error err = {0};
    struct tt_set *set;

    if (rank == 0)
        write_virtual();
    MPI_Barrier(MPI_COMM_WORLD);
    set = open_map("virtual.h5", "x: /x, y: /y", 0, &err);
    ok_all(set && tt_set_info(set)->sample_count == 20,
           "a virtual dataset with its sources", err.text);
    tt_set_close(set);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        unlink(in_dir("src1.h5"));
    expect_refused("a virtual dataset without one", "virtual.h5",
                   "x: /x, y: /y", "src1.h5");
}

static void test_incomplete(void)
{
    hid_t file = -1;

    if (rank == 0) {
        struct stat st;

        write_set("cut.h5", H5T_STD_I32LE, H5T_STD_I8LE, H5P_DEFAULT, 0, ROWS);
        stat(in_dir("cut.h5"), &st);
        if (truncate(in_dir("cut.h5"), st.st_size - 100) < 0)
            perror("truncate");
    }
    expect_refused("a truncated file", "cut.h5", "x: /images, y: /labels",
                   "truncated");
    if (rank == 0) {
        write_set("busy.h5", H5T_STD_I32LE, H5T_STD_I8LE, H5P_DEFAULT, 0, ROWS);
        file = H5Fopen(in_dir("busy.h5"), H5F_ACC_RDWR, H5P_DEFAULT);
    }
    expect_refused("a file that is being written", "busy.h5",
                   "x: /images, y: /labels", "open for writing");
    if (rank == 0)
        H5Fclose(file);
}

/* Labels are looked at when they are fetched; -100 is let through where it is
 * the one to be ignored. */
static void test_labels(void)
{
    static const double x[4] = {1, 2, 3, 4}, y[4] = {0, 2, -100, 1};
    struct tt_error err = {0};
    struct tt_loader *loader;
    struct tt_set *set;
    float out[4];
    int32_t label[4];

    if (rank == 0) {
        hid_t file = new_file("labels.h5");

        write_doubles(file, "x", H5T_NATIVE_FLOAT, H5P_DEFAULT, 1,
                      (const hsize_t[]){4}, x);
        write_doubles(file, "y", H5T_STD_I16BE, H5P_DEFAULT, 1,
                      (const hsize_t[]){4}, y);
        write_doubles(file, "f", H5T_IEEE_F32LE, H5P_DEFAULT, 1,
                      (const hsize_t[]){4}, (const double[]){0, 1, 0.5, 0});
        H5Fclose(file);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    set = open_map("labels.h5", "x: x, y: y", 0, &err);
    ok_all(set && tt_set_info(set)->classes == 3, "classes are found",
           err.text);
    loader = load(set, &err);
    ok_all(tt_loader_fetch_plain(loader, 0, 4, out, label, &err) < 0 &&
               strstr(err.text, "y: row 2: label -100"),
           "a negative label", err.text);
    tt_set_ignore(set, -100);
    ok_all(tt_loader_fetch_plain(loader, 0, 4, out, label, &err) == 0 &&
               label[2] == -100 && label[1] == 2 && (double)out[3] == 4,
           "unless it is to be ignored", "");
    tt_loader_destroy(loader);
    tt_set_close(set);
    set = open_map("labels.h5", "x: x, y: y, classes: 2", 1 << 20, &err);
    loader = load(set, &err);
    ok_all(tt_loader_fetch_plain(loader, 1, 1, out, label, &err) < 0 &&
               strstr(err.text, "row 1: label 2 is outside 0 .. 1"),
           "a label beyond the classes", err.text);
    tt_loader_destroy(loader);
    tt_set_close(set);
    set = open_map("labels.h5", "x: x, y: f, target: class", 0, &err);
    loader = load(set, &err);
    ok_all(tt_loader_fetch_plain(loader, 2, 1, out, label, &err) < 0 &&
               strstr(err.text, "whole number"),
           "a label that is a fraction", err.text);
    tt_loader_destroy(loader);
    tt_set_close(set);
}

/* While a set is open another program may write to its files, and a folder
 * that nobody may write to is enough. */
static void test_locks(void)
{
    struct tt_error err = {0};
    struct tt_loader *loader;
    struct tt_set *set;
    int good = 1;

    if (rank == 0) {
        hid_t chunks = make_dcpl(3);

        write_set("free.h5", H5T_STD_I32LE, H5T_STD_I8LE, chunks, 0, ROWS);
        H5Pclose(chunks);
        chmod(in_dir("free.h5"), 0444);
        chmod(dir, 0555);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    set = open_map("free.h5", "x: /images, y: /labels", 0, &err);
    loader = load(set, &err);
    ok_all(is_read(set, ROWS, 1, 0, &err), "a folder without write access",
           err.text);
    if (rank == 0) {
        int fd = open(in_dir("free.h5"), O_RDONLY);

        good = flock(fd, LOCK_EX | LOCK_NB) == 0;
        close(fd);
        chmod(dir, 0755);
    }
    ok_all(good, "no lock is held", "");
    tt_loader_destroy(loader);
    tt_set_close(set);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void make_dir(void)
{
    int pid = (int)getpid();

    MPI_Bcast(&pid, 1, MPI_INT, 0, MPI_COMM_WORLD);
    snprintf(dir, sizeof(dir), "foreign-test.%d", pid);
    if (rank == 0)
        mkdir(dir, 0755);
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    int status;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank != 0)
        tap_mute();
    make_dir();
    test_types();
    test_layouts();
    test_scales();
    test_channels();
    test_files();
    test_odd();
    test_differing();
    test_virtual();
    test_incomplete();
    test_labels();
    test_locks();
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        tt_path_remove(dir, NULL);
    status = tap_done();
    MPI_Finalize();
    return status;
}
