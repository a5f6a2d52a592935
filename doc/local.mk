dist_man1_MANS = %D%/tutti-ckpt.1 %D%/tutti-eval.1 \
	%D%/tutti-shard.1 %D%/tutti-train.1
dist_man5_MANS = %D%/tutti-checkpoint.5 %D%/tutti-run.5 %D%/tutti-shards.5
