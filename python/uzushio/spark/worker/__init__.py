"""What runs in Spark's Python workers: the kernels, fed with Arrow batches.

Each generator in these modules is one for `mapInArrow` when all but its first argument are bound. None refers to the
driver, and none of what the driver is made of is imported here.
"""
