package message

func init() {
	samples = append(samples, sample{"CatalogueTooLarge", CatalogueTooLarge(32, 40, 1_200_000, 1_048_576)})
}
