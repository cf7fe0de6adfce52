#!/bin/sh
# Starts Legion's server on this plan; meta_config is read from the current folder. SAMPLING_SERVER names the program.
FOLDER=$(dirname "$0")
DEVICES='0,1'
GPUS=2
MODE=1

cd "$FOLDER" && CUDA_VISIBLE_DEVICES=$DEVICES exec "${SAMPLING_SERVER:-sampling_server}" "$GPUS" "$MODE"
