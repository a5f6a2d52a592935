# Reference values made by PyTorch, and the script that made them.
EXTRA_DIST += \
	%D%/README \
	%D%/make.py \
	%D%/cnn-odd.h5 \
	%D%/cnn-small.h5 \
	%D%/cnn-small-micro.h5 \
	%D%/gpt2-tied.h5 \
	%D%/gpt2-untied.h5 \
	%D%/mlp-adam.h5 \
	%D%/mlp-bce.h5 \
	%D%/mlp-gelu-clip.h5 \
	%D%/mlp-gelu-erf-layer.h5 \
	%D%/mlp-mse.h5 \
	%D%/mlp-relu.h5 \
	%D%/mlp-relu-batch-micro.h5 \
	%D%/mlp-sgd.h5 \
	%D%/mlp-sigmoid.h5 \
	%D%/mlp-tanh-batch.h5 \
	%D%/mlp-weights.h5
