package rows

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
)

// Dataset are the items of HttpArena's json, which are read once and lie in no database.
type Dataset []item

type pricedItem struct {
	*item
	Total int64 `json:"total"`
}

// PricedItems is the answer of /json/{count}.
type PricedItems struct {
	Items []pricedItem `json:"items"`
	Count int          `json:"count"`
}

// ReadDataset reads dataset.json of a folder.
func ReadDataset(folder string) (Dataset, error) {
	text, err := os.ReadFile(filepath.Join(folder, "dataset.json"))
	if err != nil {
		return nil, err
	}
	var all Dataset
	return all, json.Unmarshal(text, &all)
}

// First are as many as the text says, or all; what is no number is an error. A multiplier that is
// none counts as 1.
func (all Dataset) First(countText, multiplierText string) (PricedItems, error) {
	count, err := strconv.ParseUint(countText, 10, 32)
	if err != nil {
		return PricedItems{}, err
	}
	multiplier := int64(number(multiplierText, 1))
	priced := make([]pricedItem, min(int(count), len(all)))
	for i := range priced {
		one := &all[i]
		priced[i] = pricedItem{one, int64(one.Price) * int64(one.Quantity) * multiplier}
	}
	return PricedItems{priced, len(priced)}, nil
}
