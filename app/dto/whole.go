package dto

import "reflect"

// Whole gives v with every nil list and map replaced by an empty one, at any
// depth, so that JSON never says null where the contract says [].
func Whole[T any](v T) T {
	p := reflect.ValueOf(&v).Elem()
	fill(p)
	return v
}

// WholeAny is Whole for a value whose type is known only at run time.
func WholeAny(v any) any {
	if v == nil {
		return nil
	}
	p := reflect.New(reflect.TypeOf(v)).Elem()
	p.Set(reflect.ValueOf(v))
	fill(p)
	return p.Interface()
}

func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Slice:
		if v.IsNil() {
			v.Set(reflect.MakeSlice(v.Type(), 0, 0))
			return
		}
		for i := range v.Len() {
			fill(v.Index(i))
		}
	case reflect.Map:
		if v.IsNil() {
			v.Set(reflect.MakeMap(v.Type()))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(v.Field(i))
			}
		}
	case reflect.Pointer:
		if !v.IsNil() {
			fill(v.Elem())
		}
	}
}
